import { mount } from 'svelte';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import AppWindow from './App.svelte';
import type { Host } from './ipc/host';
import { browserPorts } from './lib/browser';
import { App } from './state/app.svelte';

async function chosenHost(): Promise<Host> {
  // The scripted host is for a plain browser and for tests; a shipped build drops this branch.
  if (import.meta.env.MODE === 'fake' || (import.meta.env.DEV && !('__TAURI_INTERNALS__' in window))) {
    return (await import('./ipc/fake')).fakeHost();
  }
  return (await import('./ipc/tauri')).tauriHost();
}

const target = document.getElementById('app');
if (target) {
  const app = new App(await chosenHost(), browserPorts);
  mount(AppWindow, { target, props: { app } });
  void app.open();
}
