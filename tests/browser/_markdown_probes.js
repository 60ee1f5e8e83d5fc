// What is asked of a page with rendered Markdown from within, in plain JavaScript as in _probes.js.
const calls = [];
for (const name of ["alert", "confirm", "prompt"]) globalThis[name] = () => calls.push(name);

globalThis.describePage = () => {
  const elements = [...document.querySelectorAll("section *")];
  const unique = (values) => [...new Set(values)].sort();
  const urlsOf = (name) =>
    elements.filter(({ localName }) => localName === name).map(({ href, src }) => href ?? src);
  return {
    calls,
    sections: document.querySelectorAll("body > section").length,
    strays: [...document.querySelectorAll("head > *, body > :not(section)")].length,
    names: unique(elements.map(({ localName }) => localName)),
    attributes: unique(elements.flatMap((element) => element.getAttributeNames())),
    linkSchemes: unique(urlsOf("a").map(schemeOf)),
    imageSchemes: unique(urlsOf("img").map(schemeOf)),
  };
};

function schemeOf(url) {
  return Object.assign(document.createElement("a"), { href: url }).protocol;
}
