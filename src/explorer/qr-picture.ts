import { encode } from 'uqr';

const SVG = 'http://www.w3.org/2000/svg';

/** A text as a QR code (ISO/IEC 18004), dark on light in every colour scheme, with the quiet zone that scanners need. */
export function qrPicture(text: string, label: string): SVGSVGElement {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const picture = document.createElementNS(SVG, 'svg');
  const attributes = { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label, class: 'qr' };
  for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, value);
  const dark = document.createElementNS(SVG, 'path');
  dark.setAttribute(
    'd',
    data.flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : ''))).join(''),
  );
  picture.append(dark);
  return picture;
}
