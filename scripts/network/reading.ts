/** What the tour asks nodes for. */
export interface Listed {
  readonly uri: string;
  readonly label: string;
}

export async function components(node: string): Promise<Listed[]> {
  const response = await fetch(`${node}/component`);
  if (!response.ok) throw new Error(`${node}/component answered ${response.status}`);
  return (await response.json()) as Listed[];
}

export async function publish(
  node: string,
  component: Listed & Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await fetch(`${node}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(component),
  });
  if (!response.ok)
    throw new Error(`publishing on ${node} answered ${response.status}: ${await response.text()}`);
}

export async function unpublish(node: string, uri: string): Promise<void> {
  const response = await fetch(`${node}/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
  if (!response.ok)
    throw new Error(`deleting on ${node} answered ${response.status}: ${await response.text()}`);
}

/** What a node says that a component is called; `undefined` when it does not know it. */
export async function labelOf(node: string, uri: string): Promise<string | undefined> {
  const response = await fetch(`${node}/c/${encodeURIComponent(uri)}`);
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (!response.ok) throw new Error(`${node}/c/ answered ${response.status}`);
  return ((await response.json()) as Listed).label;
}
