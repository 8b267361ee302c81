// Waits until the page is quiet: its fonts are there and nothing moves. Gives its height.
const until = performance.now() + 3000;
const isQuiet = () =>
  document.readyState === 'complete' &&
  document.fonts.status === 'loaded' &&
  document.getAnimations().every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity);
while (!isQuiet() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 30));
return Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0);
