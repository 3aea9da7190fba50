/** What a person sees as one character. */

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text. Made at the first call: loading the rules takes tens of milliseconds. */
export function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}
