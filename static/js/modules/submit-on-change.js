// A field that sends its form as soon as it changes.
export default function submitOnChange(field) {
  const send = () => field.form.requestSubmit();
  field.addEventListener("change", send);
  return () => field.removeEventListener("change", send);
}
