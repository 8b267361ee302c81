const SECTIONS = 260;

/** A page of about 200 KiB: a sticky head, then hundreds of short articles in several scripts. */
export function longPage(): string {
  const articles = Array.from({ length: SECTIONS }, (_, n) => {
    const lines = Array.from(
      { length: 6 },
      (_unused, k) => `<p>Line ${k + 1} of part ${n + 1}: the kiln is opened on the ${(n % 28) + 1}. — 窑火第 ${n + 1} 次，naïve café 🙂.</p>`,
    ).join('\n      ');
    return `    <article class="part" style="--tone:${(n * 37) % 360}">
      <h2>Part ${n + 1}</h2>
      ${lines}
      <ul><li>glaze</li><li>clay</li><li>ash</li></ul>
    </article>`;
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Kiln log</title>
    <style>
      * { box-sizing: border-box; margin: 0 }
      body { background: #f4efe6; color: #26221c; font: 16px/1.6 system-ui, sans-serif }
      header { position: sticky; top: 0; padding: 24px 64px; background: #2b3a30; color: #e9e2d2 }
      .part { margin: 32px 64px; padding: 24px; background: #fffdf8; border-left: 12px solid oklch(0.7 0.12 var(--tone)) }
      ul { display: flex; gap: 12px; padding: 12px 0 0; list-style: none }
      li { padding: 4px 12px; background: #e9e2d2 }
    </style>
  </head>
  <body>
    <header><b>Kiln log</b> — every firing of the year</header>
${articles.join('\n')}
  </body>
</html>
`;
}
