// Forms [data-api-path] that ask an address of the API with the token of the page and show the answer as it came. The token is
// read from its field when it is needed and kept nowhere; the session of the reader is not sent.
const LONGEST = 200_000;

export default function apiTry(root) {
  const card = root.querySelector("[data-api-token]");
  const token = card.querySelector("input");
  card.hidden = false;
  for (const form of root.querySelectorAll("form[data-api-path]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(form, token);
    });
  }
}

// The address with what the form says: parts of the path in their places, the others as a query; empty ones are left out.
export function addressOf(path, fields) {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, value, inPath } of fields) {
    if (inPath) address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "") query.set(name, value);
  }
  const asked = query.toString();
  return asked ? `${address}?${asked}` : address;
}

// JSON in lines; anything else as it is.
export function shown(text, type) {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters` : text;
  if (!type.includes("json") || cut !== text) return cut;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

async function ask(form, token) {
  const fields = [...form.elements].filter((one) => one.name).map((one) => ({ name: one.name, value: one.value.trim(), inPath: "inPath" in one.dataset }));
  const output = form.querySelector("output");
  const status = form.querySelector("[data-api-status]");
  const text = form.querySelector("[data-api-text]");
  output.hidden = false;
  status.textContent = "asking…";
  text.textContent = "";
  try {
    const headers = { Accept: "*/*", Authorization: `Bearer ${token.value.trim()}` };
    const answer = await fetch(addressOf(form.dataset.apiPath, fields), { headers, credentials: "omit", cache: "no-store" });
    status.textContent = `${answer.status} ${answer.headers.get("Content-Type") ?? ""}`;
    text.textContent = shown(await answer.text(), answer.headers.get("Content-Type") ?? "");
  } catch {
    status.textContent = "No answer: the server can't be reached, or the token holds characters that no token has.";
  }
  if (!token.value.trim()) token.focus();
}
