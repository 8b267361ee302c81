import { mount } from 'svelte';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import type { PageHost } from './ipc/host';
import { browserPorts } from './lib/browser';
import PageWindow from './PageWindow.svelte';
import { PageFollower } from './state/pageFollower.svelte';

async function chosenHost(): Promise<PageHost> {
  // The scripted host is for a plain browser and for tests; a shipped build drops this branch.
  if (import.meta.env.MODE === 'fake' || (import.meta.env.DEV && !('__TAURI_INTERNALS__' in window))) {
    return (await import('./ipc/fake/pageWindow')).fakePageHost();
  }
  return (await import('./ipc/tauri')).tauriPageHost();
}

const target = document.getElementById('app');
if (target) {
  const follower = new PageFollower(await chosenHost(), browserPorts);
  mount(PageWindow, { target, props: { follower } });
  void follower.follow();
}
