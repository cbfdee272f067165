// Small building blocks of the timeline: an element with a class and text, and the resolved value of colour tokens.
export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

// Tokens are light-dark() pairs; only a used value knows which half counts, so a probe element takes each colour once.
export function palette(host) {
  const probe = make("span");
  probe.hidden = false;
  host.append(probe);
  const known = new Map();
  const colour = (name, alpha = 1) => {
    if (!known.has(name)) {
      probe.style.color = `var(--${name})`;
      known.set(name, getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number));
    }
    const [red, green, blue] = known.get(name);
    return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  };
  return { colour, forget: () => known.clear() };
}

export function px(value) {
  return `${Math.round(value * 10) / 10}px`;
}
