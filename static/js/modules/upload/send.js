// One file in one XMLHttpRequest, since fetch tells no progress. The answer's fields go into the requests that follow.
export function makeUploader(form) {
  const kept = {};
  const pasted = form.querySelector("[data-paste]")?.name; // goes as a file of its own, once
  return (file, path, row, waiting) => new Promise((resolve) => {
    const body = new FormData();
    for (const [name, value] of new FormData(form)) if (!(value instanceof File) && name !== pasted) body.append(name, value);
    for (const [name, value] of Object.entries(kept)) body.set(name, value);
    body.set("relative_path", path);
    body.set("remaining", String(waiting));
    body.set("file", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    request.upload.addEventListener("progress", (event) => row.progress(event.loaded * (file.size / Math.max(event.total, 1))));
    request.upload.addEventListener("load", () => row.whole());
    request.addEventListener("load", () => {
      const answer = parsed(request);
      const ok = request.status >= 200 && request.status < 300;
      if (ok) Object.assign(kept, answer.fields);
      resolve({ ok, status: request.status, url: answer.url, error: answer.error, message: answer.message });
    });
    request.addEventListener("error", () => resolve({ ok: false, status: 0 }));
    request.send(body);
  });
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
