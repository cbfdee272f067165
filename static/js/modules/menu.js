// A <details> that behaves as a menu: closes on Esc, on a click outside and when the focus leaves it.
export default function menu(details) {
  const close = (event) => {
    if (details.open && !details.contains(event.target)) details.open = false;
  };
  const key = (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus();
  };
  document.addEventListener("click", close);
  document.addEventListener("focusin", close);
  details.addEventListener("keydown", key);
  return () => {
    document.removeEventListener("click", close);
    document.removeEventListener("focusin", close);
  };
}
