// Fills this folder from the packages of packages.json: `node gather.mjs` with network, after `npm ci` in ui.
// Files are taken as they are; texts are stored compressed. Ionic loads itself piece by piece, which a page
// opened from a disk may not do, so its components and icons are put together into one plain script.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const packages = JSON.parse(readFileSync(join(here, 'packages.json'), 'utf8'));
const room = mkdtempSync(join(tmpdir(), 'facsimile-libraries-'));
const named = Object.entries(packages).map(([name, { version }]) => `${name}@${version}`);
writeFileSync(join(room, 'package.json'), '{"private":true}');
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...named], { cwd: room, stdio: 'inherit' });

const from = (name, file = '') => join(room, 'node_modules', name, file);
const put = (path, bytes) => {
  mkdirSync(dirname(join(here, path)), { recursive: true });
  writeFileSync(join(here, path), bytes);
};
// Node writes neither time nor name into the header: the same text gives the same bytes.
const pack = (path, text) => put(`${path}.gz`, gzipSync(text, { level: 9 }));
const licence = (name, into) => {
  const file = readdirSync(from(name)).find((entry) => /^licen[cs]e/i.test(entry));
  put(into, readFileSync(from(name, file)));
};

for (const [name, { texts = [], fonts = [] }] of Object.entries(packages)) {
  rmSync(join(here, name), { recursive: true, force: true });
  for (const file of texts) pack(`${name}/${file}`, readFileSync(from(name, file)));
  for (const file of fonts) put(`${name}/${file}`, readFileSync(from(name, file)));
  if (texts.length > 0) licence(name, `${name}/LICENSE.txt`);
}
// What others have put into their own files.
licence('@popperjs/core', 'bootstrap/LICENSE-popper.txt');
licence('ionicons', '@ionic/core/LICENSE-ionicons.txt');
licence('@stencil/core', '@ionic/core/LICENSE-stencil.txt');
pack('@ionic/core/ionic.bundle.js', await ionic());
rmSync(room, { recursive: true });

/** Every component and icon as one script that may run twice. */
async function ionic() {
  const components = readdirSync(from('@ionic/core', 'components')).filter((file) => /^ion-.*\.js$/.test(file));
  const lines = [
    `import { initialize, setAssetPath } from '@ionic/core/components';`,
    `import { addIcons } from 'ionicons';`,
    `import * as icons from 'ionicons/icons';`,
    ...components.map((file, at) => `import { defineCustomElement as define${at} } from '@ionic/core/components/${file}';`),
    `if (!customElements.get('ion-app')) {`,
    `  setAssetPath(document.baseURI);`,
    `  addIcons(icons);`,
    `  initialize();`,
    ...components.map((_, at) => `  define${at}();`),
    `}`,
  ];
  const input = join(room, 'ionic.mjs');
  writeFileSync(input, lines.join('\n'));
  const ui = createRequire(join(here, '../../../../ui/package.json'));
  const { rolldown } = await import(pathToFileURL(ui.resolve('rolldown')));
  const bundle = await rolldown({ input, cwd: room, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false });
  return output[0].code;
}
