// A form that the browser's passkey dialog fills in. data-ask says get or create; what the server asks stands in the
// element named by data-options, or comes from data-options-url. Shown only where the browser can do it.
import { announce } from "./live.js";

const canAsk = () => window.isSecureContext && typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";

export default function passkey(form) {
  if (!canAsk()) return undefined;
  form.hidden = false;
  const said = form.querySelector("[data-passkey-said]");
  const listen = async (event) => {
    event.preventDefault();
    said.textContent = "";
    try {
      form.elements.credential.value = JSON.stringify(await asked(form));
      form.submit();
    } catch (error) {
      said.textContent = words(error);
      announce(said.textContent);
    }
  };
  form.addEventListener("submit", listen);
  return () => form.removeEventListener("submit", listen);
}

async function asked(form) {
  const options = await optionsOf(form);
  if (form.dataset.ask === "create") {
    const wanted = withPasswordless(options.creation_options.publicKey, form.elements.passwordless?.checked === true);
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(wanted) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.request_options.publicKey) });
}

async function optionsOf(form) {
  if (form.dataset.options) return JSON.parse(document.getElementById(form.dataset.options).textContent);
  const response = await fetch(form.dataset.optionsUrl, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error("no options");
  return response.json();
}

// A key that stands for the password has to be found by the device itself, and to know its owner.
function withPasswordless(options, isPasswordless) {
  const selection = { ...options.authenticatorSelection, residentKey: isPasswordless ? "required" : "discouraged", requireResidentKey: isPasswordless };
  if (isPasswordless) selection.userVerification = "required";
  return { ...options, authenticatorSelection: selection };
}

function words(error) {
  if (error.name === "InvalidStateError") return "This device has a passkey for this account already.";
  if (error.name === "NotAllowedError") return "It was cancelled or took too long. Try again.";
  return "The passkey could not be used here.";
}
