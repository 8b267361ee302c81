// A frame of opaque origin has no storage, and pages that do not expect it to throw would die of it. These
// stand-ins forget everything with the page.
(() => {
  const area = () => {
    const kept = new Map();
    const methods = {
      getItem(key) { return kept.get(String(key)) ?? null; },
      setItem(key, value) { kept.set(String(key), String(value)); },
      removeItem(key) { kept.delete(String(key)); },
      clear() { kept.clear(); },
      key(index) { return [...kept.keys()][index] ?? null; },
    };
    const isMethod = (name) => Object.hasOwn(methods, name);
    const isKept = (name) => typeof name === 'string' && kept.has(name);
    return new Proxy(Object.create(Storage.prototype), {
      get(target, name) {
        if (name === 'length') return kept.size;
        if (isMethod(name)) return methods[name];
        // The target is its own receiver: getters of the real prototype refuse a proxy.
        return isKept(name) ? kept.get(name) : Reflect.get(target, name, target);
      },
      set(target, name, value) {
        if (typeof name === 'symbol') return Reflect.set(target, name, value, target);
        methods.setItem(name, value);
        return true;
      },
      has: (target, name) => name === 'length' || isMethod(name) || isKept(name) || Reflect.has(target, name),
      deleteProperty(target, name) {
        if (isKept(name)) kept.delete(name);
        return true;
      },
      ownKeys: () => [...kept.keys()],
      getOwnPropertyDescriptor: (target, name) =>
        isKept(name) ? { value: kept.get(name), writable: true, enumerable: true, configurable: true } : undefined,
      defineProperty(target, name, descriptor) {
        methods.setItem(name, descriptor.value);
        return true;
      },
    });
  };
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(window, name, { value: area(), enumerable: true, configurable: true });
  }

  const jar = new Map();
  const isExpired = (attribute) => {
    const at = attribute.indexOf('=');
    const [name, value] = [attribute.slice(0, at).trim().toLowerCase(), attribute.slice(at + 1).trim()];
    if (name === 'max-age') return Number(value) <= 0;
    return name === 'expires' && Date.parse(value) < Date.now();
  };
  Object.defineProperty(Document.prototype, 'cookie', {
    configurable: true,
    enumerable: true,
    get: () => [...jar].map(([name, value]) => (name ? `${name}=${value}` : value)).join('; '),
    set(text) {
      const [pair, ...attributes] = String(text).split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(at, 0)).trim();
      if (attributes.some(isExpired)) jar.delete(name);
      else jar.set(name, pair.slice(at + 1).trim());
    },
  });
})();
