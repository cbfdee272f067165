// A <details> that behaves as a menu: closes on Esc, on a click outside and when the keyboard's focus leaves it.
export default function menu(details) {
  let pressed = false;
  // A press on words inside moves the focus to the page behind, which is no reason to close before the click arrives.
  const press = () => { pressed = true; };
  const release = () => { pressed = false; };
  const outside = (event) => {
    if (details.open && !details.contains(event.target)) details.open = false;
  };
  const focus = (event) => { if (!pressed) outside(event); };
  const key = (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus();
  };
  document.addEventListener("click", outside);
  document.addEventListener("focusin", focus);
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", release);
  details.addEventListener("pointerdown", press);
  details.addEventListener("keydown", key);
  return () => {
    document.removeEventListener("click", outside);
    document.removeEventListener("focusin", focus);
    document.removeEventListener("pointerup", release);
    document.removeEventListener("pointercancel", release);
  };
}
