// Opens the browser's print dialog, which also saves as PDF; shown only where scripts run.
export default function printButton(button) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
