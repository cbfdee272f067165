// One file on its way: name, bar, bytes sent, rate, time left, or why it was refused.
import { bytes, shortDuration } from "../../lib/format.js";
import { rateMeter, secondsLeft } from "../../lib/transfer.js";
import { announce } from "../live.js";
import { make } from "../timeline/dom.js";

export function sendingRow(list, name, size, signIn) {
  const row = list.appendChild(make("div", "sending-file"));
  const state = make("span", "state is-waiting", "waiting");
  const bar = make("progress");
  bar.max = size || 1;
  bar.value = 0;
  bar.setAttribute("aria-label", name);
  const figures = make("div", "sending-figures");
  figures.append(make("span", "", bytes(size)));
  const actions = make("div", "sending-actions");
  row.append(make("span", "sending-name", name), state, bar, figures, actions);
  const meter = rateMeter();
  const say = (className, text) => { state.className = `state ${className}`; state.textContent = text; };
  return {
    progress(sent) {
      meter.add(performance.now(), sent);
      const rate = meter.perSecond();
      const left = secondsLeft(size, sent, rate);
      bar.value = Math.min(sent, size);
      say("is-reading", "sending");
      figures.replaceChildren(bold(`${bytes(Math.min(sent, size))} of ${bytes(size)}`), bold(rate ? `${bytes(Math.round(rate))}/s` : ""), bold(left === null ? "" : `${shortDuration(Math.round(left))} left`));
    },
    // Nothing moves, but nothing is lost: why, and where to sign in if that is it.
    waiting(words, needsSignIn = false) {
      say("is-waiting", needsSignIn ? "signed out" : "waiting");
      const line = make("span", "sending-why", words);
      if (needsSignIn) line.append(" ", signInLink(signIn));
      if (figures.lastChild?.textContent !== line.textContent) figures.replaceChildren(bold(`${bytes(bar.value)} of ${bytes(size)}`), line);
      announce(words);
    },
    controlled({ pause, discard }) {
      const pauseButton = actionButton("Pause", name, () => nameButton(pauseButton, pause() ? "Go on" : "Pause", name));
      actions.replaceChildren(pauseButton, actionButton("Discard", name, discard));
    },
    uncontrolled() { actions.replaceChildren(); },
    discarded() {
      bar.remove();
      say("is-waiting", "discarded");
      figures.replaceChildren(make("span", "", "Nothing of it was kept."));
    },
    whole() { say("is-reading", "sent, being stored"); },
    done(message) {
      bar.value = bar.max;
      bar.classList.add("is-good");
      say("is-read", "sent");
      figures.replaceChildren(make("span", "", bytes(size)), make("span", "", message ?? ""));
    },
    fail(words) {
      say("is-failed", "not sent");
      bar.remove();
      const error = make("p", "errors", words);
      error.setAttribute("role", "alert");
      row.append(error);
    },
  };
}

function nameButton(button, words, name) {
  button.textContent = words;
  button.setAttribute("aria-label", `${words}: ${name}`);
  return button;
}

function actionButton(words, name, press) {
  const button = nameButton(make("button", "button is-small"), words, name);
  button.type = "button";
  button.addEventListener("click", press);
  return button;
}

function signInLink(href) {
  const link = make("a", "", "sign in, in a new tab");
  link.href = href;
  link.target = "_blank";
  link.rel = "noopener";
  return link;
}

const bold = (text) => make("b", "", text);
