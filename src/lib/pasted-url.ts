/** The URL that stands for a document which a visitor pasted or dropped: no such host exists (RFC 6761, section 6.4). */
export const PASTED = 'https://pasted.invalid/document';
