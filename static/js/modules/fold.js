// A fold of findings opens when the address names one of them.
import { reveal } from "./keyboard.js";

export default function fold(box) {
  const named = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (!target || !box.contains(target) || box.open) return;
    reveal(target);
    target.scrollIntoView();
  };
  named();
  addEventListener("hashchange", named);
  return () => removeEventListener("hashchange", named);
}
