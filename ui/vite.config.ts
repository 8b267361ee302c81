import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { fakeFrames } from './src/ipc/fake/frameServer';

// `--mode fake` builds the same window over the scripted host; it never ships.
export default defineConfig(({ command, mode }) => ({
  plugins: [svelte(), ...(command === 'serve' || mode === 'fake' ? [fakeFrames()] : [])],
  base: './',
  build: {
    target: 'safari17',
    outDir: mode === 'fake' ? 'dist-fake' : 'dist',
    emptyOutDir: true,
    // The main window, and the window of the page alone.
    rollupOptions: { input: ['index.html', 'page.html'] },
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { port: 5317, strictPort: true },
  preview: { port: 5318 },
}));
