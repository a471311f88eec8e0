import { html } from 'hono/html';
import { isChanged } from '../../../component/pin.js';
import type { Description } from '../../../registry/description.js';
import type { Markup } from '../../../web/page.js';
import { rootPath } from '../../../web/view.js';

/** Which bytes the module must have, and who says so: a line among the facts of a component. */
export function pinFacts({ metadata: { integrity }, pin }: Pick<Description, 'metadata' | 'pin'>): Markup {
  const pinned = integrity ?? pin?.integrity;
  if (pinned === undefined) return html``;
  const who = integrity === undefined ? 'as this node saw them first' : 'promised by the author';
  return html`<div><dt>Bytes</dt><dd><code>${pinned}</code> <small>${who}</small></dd></div>`;
}

/** That the bytes are not what they should be; hosts that check them run nothing of them. */
export function changedNotice(
  { metadata: { version, integrity }, pin }: Pick<Description, 'metadata' | 'pin'>,
  baseUrl: string,
): Markup {
  if (!pin || !isChanged(pin)) return html``;
  const [were, are] =
    integrity === undefined ? ['were', 'are'] : ['should be', 'are, or are promised to be,'];
  const others = [{ ...pin, uri: undefined }, ...(pin.files ?? [])].filter(
    ({ changed }) => changed !== undefined,
  );
  const lines = others.map(
    ({ uri, integrity: first, changed }) =>
      html`${uri === undefined ? 'they' : html`those of <code>${uri}</code>, which it imports,`} ${were} <code>${first}</code> and ${are} <code>${changed}</code>. `,
  );
  return html`<p class="alert" role="alert"><strong>The bytes of this module have changed</strong> ${version === undefined ? 'although it has no version' : html`under version ${version}`}: ${lines}Hosts do not run it. If it is a new release, its author gives it a new version. The operator of this node can have it
<a href="${rootPath(baseUrl)}/docs/operators#pinned-modules">forget what it saw</a>.</p>`;
}
