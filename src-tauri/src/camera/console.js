// Lets the listener in its own world hear what the page's scripts tell the console as errors.
(() => {
  const { console, document, CustomEvent, String, Error } = globalThis;
  const tell = console.error, dispatch = EventTarget.prototype.dispatchEvent;
  console.error = (...words) => {
    tell.apply(console, words);
    const text = words.map((word) => (word instanceof Error ? word.message : String(word))).join(' ');
    dispatch.call(document, new CustomEvent('facsimile-console', { detail: text.slice(0, 300) }));
  };
})();
