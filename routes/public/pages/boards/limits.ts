/** The most characters of a search on a page. */
export const SEARCH_MAX_LENGTH = 100;
