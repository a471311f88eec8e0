import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { compareVersions } from '../../component/versions.js';
import { componentPath } from '../../http/paths.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import { sourceName } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import { originBadge } from '../shell/samples.js';
import type { NodeView } from '../shell/view.js';

/** That there is a newer version: the one that is marked as the latest, else the newest that is no trial of one to come. */
export function newerNotice(
  { metadata: { uri, version } }: Description,
  versions: readonly Description[],
  { baseUrl }: NodeView,
): Markup | '' {
  const newer = versions
    .slice(
      0,
      versions.findIndex(({ metadata }) => metadata.uri === uri),
    )
    .filter(({ metadata }) => compareVersions(metadata.version, version) > 0);
  const found =
    newer.find(({ metadata }) => metadata.latest) ??
    newer.find(({ metadata }) => !metadata.version?.includes('-'));
  if (!found) return '';
  return html`<p class="newer">There is a newer version of this component: <a href="${componentPath(baseUrl, found.metadata.uri)}">${found.metadata.version}</a></p>`;
}

/** The versions of the component on the page, the newest first. */
export function versionSection(versions: readonly Description[], current: string, node: NodeView): Markup {
  if (versions.length < 2) return html``;
  const row = (description: Description) => {
    const { uri, version, latest } = description.metadata;
    return html`<li>
${uri === current ? html`<strong aria-current="true">${version ?? 'no version'}</strong>` : html`<a href="${componentPath(node.baseUrl, uri)}">${version ?? 'no version'}</a>`}${latest ? html` <span class="latest">latest</span>` : ''}${uri === current ? '' : originBadge(description)}
<small>${uri}</small></li>`;
  };
  return html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<ul class="rows">${versions.map(row)}</ul></section>`;
}

/** Components of the same name from elsewhere: what strangers say of versions is shown as theirs (design, section 15). */
export function namesakeSection(namesakes: readonly VersionGroup[], { baseUrl }: NodeView): Markup {
  if (namesakes.length === 0) return html``;
  const row = ({ head }: VersionGroup) => {
    const { metadata, source } = head;
    return html`<li>
<a href="${componentPath(baseUrl, metadata.uri)}">${metadata.label} ${metadata.version ?? ''}</a>${originBadge(head)}
<small>${metadata.uri}, from ${sourceName(source)}</small></li>`;
  };
  return html`<section aria-labelledby="namesakes"><h2 id="namesakes">Others of this name</h2>
<p class="hint">These are described elsewhere. They are not versions of the component above, whatever they say of themselves.</p>
<ul class="rows">${namesakes.map(row)}</ul></section>`;
}
