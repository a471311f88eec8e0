/** The words of a page as somebody hears them who has it read aloud: without tags, and each block by itself. */
export function blocksOf(page: string): string[] {
  const main = page
    .replace(/<(script|style|svg|head|pre)\b.*?<\/\1>/gs, ' ')
    .replace(/<code>.*?<\/code>/gs, 'code');
  return main
    .split(
      /<\/?(?:p|li|dd|dt|div|h\d|td|th|tr|section|label|small|option|main|ul|ol|dl|form|nav|header|footer|noscript)\b[^>]*>/,
    )
    .map((block) =>
      unescaped(block.replace(/<[^>]*>/g, ''))
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((block) => block !== '');
}

/** What sentences that were put together from pieces sound like when the pieces do not fit. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/\b1 (?!(?:is|was|has|as|less|this)\b)[a-z]+(?<!s)s\b/, 'one of several'],
  [
    /\b(?:[02-9]|\d{2,}) (?:component|document|source|pod|peer|node|address|version|module|statement|hop|poll)\b(?!')/,
    'several of one',
  ],
  [/\b1 [a-z]+(?: of [a-z]+)?(?: that)? (?:are|have|were)\b/, 'one and a verb of several'],
  [/(?<!\.)\.\.(?!\.)/, 'two full stops'],
  [/[a-z,] (?:This|The|It) (?:node|samples|starter)/, 'a capital in the middle of a sentence'],
  [/ [,.;:](?: |$)/, 'a gap before a mark'],
  [/\b(?:undefined|null|NaN|\[object)\b/, 'what is no word'],
  [/\b(?:a|an|the) (?:a|an|the)\b/, 'two articles'],
  [/: ?[;.]/, 'nothing behind a colon'],
];

/** The sentences among these that do not read well aloud, each with what is wrong with it. */
export function stumblesIn(sentences: readonly string[]): string[] {
  return sentences.flatMap((sentence) =>
    FAULTS.filter(([fault]) => fault.test(sentence)).map(([, what]) => `${what}: ${sentence}`),
  );
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
