import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

const tauri = {
  group: ['@tauri-apps/*'],
  message: 'Only src/ipc/tauri.ts may name the shell.',
};
const layer = (files, forbidden) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [tauri, ...forbidden] }] },
});

export default ts.config(
  { ignores: ['dist/', 'dist-fake/', 'node_modules/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ['*.ts', '*.js', 'browser/**', 'src/ipc/fake/frameServer.ts'], languageOptions: { globals: { ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'svelte/no-navigation-without-resolve': 'off',
      // Controllers replace whole values and keep plain maps where nothing is drawn from them.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  layer(['src/**'], []),
  layer(['src/components/**'], [{ group: ['**/features/**', '**/views/**', '**/state/**', '**/ipc/**'], message: 'Components know no domain.' }]),
  layer(['src/features/**'], [
    { group: ['**/views/**'], message: 'Imports point down.' },
    { group: ['../*/**', '!../../**'], message: 'A feature never imports another feature.' },
  ]),
  { files: ['src/ipc/tauri.ts'], rules: { 'no-restricted-imports': 'off' } },
);
