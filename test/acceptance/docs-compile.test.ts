import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { codeBlocks, documentAt, TOP } from '../support/docs.js';
import { tempDir } from '../support/temp-dir.js';

const LIBRARY = 'http://localhost:3000/host.js';
/** What the examples that are parts of a page take from the rest of it. */
const PAGE = `import { RegistryClient, loadComponent, serveData, solidData } from '${LIBRARY}';\ndeclare const data: string;\n`;

/** The scripts for browsers that the documents show, by where they stand. */
const EXAMPLES = [
  ...codeBlocks(documentAt('README.md'), 'html').map(({ code }) => ({
    path: 'README.md',
    code: /<script type="module">\n(.*?)<\/script>/s.exec(code)?.[1] ?? '',
  })),
  ...codeBlocks(documentAt('docs/web-developers.md'), 'js').map(({ code }) => ({
    path: 'docs/web-developers.md',
    code: PAGE + code,
  })),
  ...codeBlocks(documentAt('docs/authors.md'), 'js').map(({ code }) => ({
    path: 'docs/authors.md',
    code: `import '${LIBRARY}';\n${code}`,
  })),
];

test('what the documents show for browsers compiles with the types of the package', async () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(4);
  const folder = await tempDir();
  const compilerOptions = {
    ...{
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
    },
    // Each example stands for itself, also one that imports nothing.
    moduleDetection: 'force',
    // Examples are JavaScript: what has no types there may be anything.
    ...{ strict: false, types: [], noEmit: true, skipLibCheck: true },
    paths: { [LIBRARY]: [`${TOP}dist/host.d.ts`] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  for (const [i, { path, code }] of EXAMPLES.entries())
    await writeFile(join(folder, `${path.replace(/\W/g, '-')}-${i}.ts`), code);
  const compiler = promisify(execFile)(`${TOP}node_modules/.bin/tsc`, ['-p', folder]);
  const said = await compiler.catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  expect(said).toEqual({ stdout: '', stderr: '' });
});
