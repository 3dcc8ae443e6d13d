// The part of the comparison by words that the page uses.
export interface Piece { value: string; added: boolean; removed: boolean }
export function diffWordsWithSpace(before: string, after: string, how: { maxEditLength: number; timeout: number }): Piece[] | undefined;
