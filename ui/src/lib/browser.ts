/** The browser behind the controllers: frames, timers, clock, document. */
export const browserPorts = {
  nextFrame: (then: () => void): void => void requestAnimationFrame(then),
  after(ms: number, then: () => void): () => void {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
  now: (): number => Date.now(),
  get systemLanguage(): string {
    return navigator.language;
  },
  paint(theme: 'system' | 'light' | 'dark', language: string): void {
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    root.lang = language;
  },
};

/** A picture file as base64 without its head. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('The picture could not be read.'));
    reader.readAsDataURL(file);
  });
}

/** Puts `text` on the clipboard, also where the newer way is refused. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.createElement('textarea');
    box.value = text;
    box.style.position = 'fixed';
    box.style.opacity = '0';
    document.body.append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
  }
}
