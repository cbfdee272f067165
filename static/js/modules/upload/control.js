// Pause, go on, discard: the buttons of a row, and waiting that ends early when one is pressed or the network or the reader is back.
export function makeControl(row) {
  let wake = () => {};
  const hurry = () => { if (!control.isPaused) wake(); };
  const control = {
    isPaused: false,
    isDiscarded: false,
    stop: null,
    change: (ms) => new Promise((resolve) => {
      const timer = ms === null ? null : setTimeout(resolve, ms);
      wake = () => { clearTimeout(timer); resolve(); };
    }),
    end() {
      removeEventListener("online", hurry);
      removeEventListener("focus", hurry);
      row.uncontrolled();
    },
  };
  const interrupt = () => { control.stop?.(); wake(); };
  addEventListener("online", hurry);
  addEventListener("focus", hurry);
  row.controlled({
    pause() { control.isPaused = !control.isPaused; interrupt(); return control.isPaused; },
    discard() { control.isDiscarded = true; interrupt(); },
  });
  return control;
}
