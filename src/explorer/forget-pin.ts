/** Has the form of the page /network ask the node to forget what it saw of a module. The token stays in the page. */
export function offerForgetting(): void {
  const details = document.querySelector<HTMLElement>('.forget-pin');
  const form = details?.querySelector('form');
  if (!details || !form) return;
  details.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [status, fields] = [form.querySelector('[role=status]'), new FormData(form)];
    const said = await forget(String(fields.get('uri')), String(fields.get('token')));
    if (status) status.textContent = said;
  });
}

async function forget(uri: string, token: string): Promise<string> {
  const query = new URLSearchParams({ uri });
  try {
    const answer = await fetch(`${document.body.dataset.root}/pins?${query}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.ok) return 'Forgotten. What is there at the next look counts as its first bytes.';
    const { detail, title } = (await answer.json()) as { detail?: string; title?: string };
    return detail ?? title ?? `The node answers ${answer.status}.`;
  } catch {
    return 'The node does not answer.';
  }
}
