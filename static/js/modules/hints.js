// First-visit hints on a sample case. Closing them leaves a cookie, so that the server does not send them again and no page jumps.
const YEAR_S = 365 * 24 * 3600;

export default function hints(box) {
  box.querySelector("[data-closes-hints]")?.addEventListener("click", () => {
    document.cookie = `hints=seen; path=/; max-age=${YEAR_S}; samesite=lax`;
    box.remove();
    document.getElementById("content")?.focus();
  });
}
