// One file on its way: name, bar, bytes sent, rate, time left, or why it was refused.
import { bytes, shortDuration } from "../../lib/format.js";
import { rateMeter, secondsLeft } from "../../lib/transfer.js";
import { make } from "../timeline/dom.js";

export function sendingRow(list, name, size) {
  const row = list.appendChild(make("div", "sending-file"));
  const state = make("span", "state is-waiting", "waiting");
  const bar = make("progress");
  bar.max = size || 1;
  bar.value = 0;
  bar.setAttribute("aria-label", name);
  const figures = make("div", "sending-figures");
  figures.append(make("span", "", bytes(size)));
  row.append(make("span", "sending-name", name), state, bar, figures);
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

const bold = (text) => make("b", "", text);
