// Hears what goes wrong on the page. It runs first and in a world of its own, so that a page cannot silence it; only
// what the page's own console says comes from the page.
(() => {
  const heard = (globalThis.facsimileTrouble = []);
  const note = (kind, text) => { if (heard.length < 40) heard.push({ kind, message: String(text).slice(0, 300) }); };
  const address = (element) => Element.prototype.getAttribute.call(element, 'src') ?? Element.prototype.getAttribute.call(element, 'href') ?? '';
  addEventListener('error', (event) => {
    if (event instanceof ErrorEvent) note('script', event.message);
    else if (event.target instanceof Element) note('resource', `${event.target.localName} ${address(event.target)}`);
  }, true);
  document.addEventListener('facsimile-console', (event) => note('console', event.detail));
  addEventListener('securitypolicyviolation', (event) => note('blocked', `${event.violatedDirective} ${event.blockedURI}`), true);
})();
