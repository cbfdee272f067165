// One small file in one XMLHttpRequest, since fetch tells no progress.
export function makeUploader(form) {
  return ({ file, path, row }, fields, opened) => new Promise((resolve) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set("relative_path", path);
    body.set("file", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", csrfToken(form));
    request.upload.addEventListener("progress", (event) => row.progress(event.loaded * (file.size / Math.max(event.total, 1))));
    request.upload.addEventListener("load", () => row.whole());
    request.addEventListener("load", () => {
      const answer = parsed(request);
      const ok = request.status >= 200 && request.status < 300;
      if (ok) opened(answer.fields?.case);
      resolve({ ok, status: request.status, url: answer.url, error: answer.error, message: answer.message });
    });
    request.addEventListener("error", () => resolve({ ok: false, status: 0 }));
    request.send(body);
  });
}

// The form's fields but for files and the transcript, which goes as a file of its own.
export function formFields(form) {
  const pasted = form.querySelector("[data-paste]")?.name;
  const all = [...new FormData(form)].filter(([name, value]) => !(value instanceof File) && ![pasted, "csrfmiddlewaretoken"].includes(name) && value !== "");
  return { ...Object.fromEntries(all), ...(form.dataset.case ? { case: form.dataset.case } : {}) };
}

// Signing in again, in another tab, renews the cookie; what the form holds is then of the past.
export function csrfToken(form) {
  const prefix = `${form.dataset.csrfCookie}=`;
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(prefix));
  return found ? found.slice(prefix.length) : form.querySelector("[name=csrfmiddlewaretoken]").value;
}

// A refusal comes as one line of plain text; what a proxy says in its own page is left to the words for its status.
function parsed(request) {
  const type = request.getResponseHeader("Content-Type") ?? "";
  if (type.startsWith("text/plain")) return { error: request.responseText.trim().slice(0, 400) || undefined };
  try {
    return JSON.parse(request.responseText) ?? {};
  } catch {
    return {};
  }
}
