// The list of cases: two can be marked to compare. On the card around the table, whose boxes are input[name=mark]; the
// button [data-compare] outside of it says how many are. What changes in the card is no choice of the form around it.
const MOST = 2;

export default function caseMarks(card) {
  const button = document.querySelector("[data-compare]");
  const words = button?.textContent;
  let marked = [...card.querySelectorAll("[name=mark]:checked")];

  const paint = () => { if (button) button.textContent = marked.length ? `Compare ${marked.length} marked` : "Compare two\u2026"; };
  const changed = (event) => {
    event.stopPropagation();
    const box = /** @type {HTMLInputElement} */ (event.target);
    if (box.name !== "mark") return;
    marked = marked.filter((one) => one !== box);
    if (box.checked) marked.push(box);
    while (marked.length > MOST) marked.shift().checked = false; // the one that was marked first gives way
    paint();
  };
  card.addEventListener("change", changed);
  paint();
  return () => {
    card.removeEventListener("change", changed);
    if (button) button.textContent = words;
  };
}
