// A field that sends its form as soon as it changes; what only works with JavaScript in the same card is shown.
export default function submitOnChange(field) {
  const send = () => field.form.requestSubmit();
  field.addEventListener("change", send);
  field.closest(".card")?.querySelectorAll("[data-needs-script]").forEach((element) => { element.hidden = false; });
  return () => field.removeEventListener("change", send);
}
