import { takeDropped } from './dropped-file.js';
import { byId, say } from './element.js';

/** On the page /lint: a file that is dropped or chosen is put into the form, as if it had been pasted, and checked. */
const form = document.querySelector<HTMLFormElement>('#pasting');
if (form) {
  for (const part of form.querySelectorAll<HTMLElement>('[data-with-script]')) part.hidden = false;
  const taken = takeDropped(Number(form.dataset.most), {
    refuse: complain,
    take: async (file) => {
      const text = form.querySelector<HTMLTextAreaElement>('#pasted');
      if (!text) return;
      text.value = await file.text();
      form.requestSubmit();
    },
  });
  const chosen = form.querySelector<HTMLInputElement>('#file');
  chosen?.addEventListener('change', () => taken(chosen.files));
}

function complain(text: string): void {
  byId('progress').closest('details')?.setAttribute('open', '');
  say('progress', text, true);
}
