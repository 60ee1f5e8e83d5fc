// Time zones, by their names as people type them.

/** The names of all time zones of the browser. */
export function zones() {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
}

/**
 * Returns the time zone that a text means, such as `Europe/Berlin` for "berlin"; the text itself if
 * it means none or several.
 *
 * @param {string} text
 * @param {readonly string[]} [known]
 */
export function findZone(text, known = zones()) {
  const typed = plain(text);
  const exact = known.find((zone) => plain(zone) === typed);
  if (exact !== undefined) return exact;
  const cities = known.filter((zone) => plain(zone.slice(zone.lastIndexOf("/") + 1)) === typed);
  return cities.length === 1 ? cities[0] : text;
}

/** @param {string} text */
function plain(text) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.trim().replace(/[\s_-]+/g, "_");
}
