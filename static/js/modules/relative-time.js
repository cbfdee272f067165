// <time datetime="…" data-module="relative-time">: "3 min ago", with the full time on hover; renewed every half minute.
import { agoText } from "../lib/format.js";

export default function relativeTime(element) {
  const then = Date.parse(element.dateTime);
  if (Number.isNaN(then)) return undefined;
  if (!element.title) element.title = element.textContent.trim();
  const renew = () => {
    const text = agoText((Date.now() - then) / 1000);
    if (element.textContent !== text) element.textContent = text;
  };
  renew();
  const timer = setInterval(renew, 30000);
  return () => clearInterval(timer);
}
