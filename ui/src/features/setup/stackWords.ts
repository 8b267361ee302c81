import type { StackName } from '../../state/runSetup.svelte';
import type { WordKey } from '../../state/words.svelte';

export const STACK_WORDS: Record<StackName, WordKey> = {
  'html-tailwind': 'setup.stack.tailwind',
  'html-css': 'setup.stack.html',
  bootstrap: 'setup.stack.bootstrap',
  'react-tailwind': 'setup.stack.react',
  'vue-tailwind': 'setup.stack.vue',
  'ionic-tailwind': 'setup.stack.ionic',
  svg: 'setup.stack.svg',
};
