/**
 * The script of the reference page: copy buttons, search and the current section. The page works
 * without it. Its Content-Security-Policy names the hash of the script.
 */
export const DOCS_SCRIPT = `"use strict";
{
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const [menu, input, found] = ["nav", "#search", "#found"].map((selector) => one(selector));

  for (const figure of all("figure")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = one("code", figure);
      // Browsers offer the clipboard in secure contexts only, not over http from another machine.
      if (navigator.clipboard) await navigator.clipboard.writeText(code.textContent);
      else {
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => button.textContent = "Copy", 2000);
    });
    one("figcaption", figure).after(button);
  }

  // The elements to search in each kind of target, without samples and nested targets.
  const searched = { SECTION: ":scope > :is(h2, p, ul)", ARTICLE: "h3, .route, p, th, td", TR: "th, td" };
  const targets = all("main :is(section, article, tr)[id]").map((target) => ({
    id: target.id,
    title: one("h2, h3, th", target).textContent.trim(),
    text: all(searched[target.tagName], target).map((part) => part.textContent).join(" ").toLowerCase(),
  }));
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const inTitle = ({ title }) => words.every((word) => title.toLowerCase().includes(word));
    const hits = targets.filter(({ text }) => words[0] && words.every((word) => text.includes(word)))
      .sort((one, other) => inTitle(other) - inTitle(one));
    found.replaceChildren(...hits.map(({ id, title }) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = "#" + id;
      link.textContent = title;
      return item;
    }));
    one("#count").textContent = words[0] ? hits.length + " found" : "";
    one("#contents").hidden = words.length > 0;
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") one("a", found)?.click();
  });
  input.closest("[hidden]").hidden = false;
  menu.addEventListener("click", ({ target }) => {
    if (target.closest("a")) menu.hidePopover?.();
  });

  const links = new Map(all("#contents a").map((link) => [one(link.hash), link]));
  const shown = new Set();
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) shown[isIntersecting ? "add" : "delete"](target);
    const current = links.get([...links.keys()].filter((target) => shown.has(target)).at(-1));
    if (current === undefined) return;
    one("[aria-current]", menu)?.removeAttribute("aria-current");
    current.setAttribute("aria-current", "location");
    const top = current.getBoundingClientRect().top - menu.getBoundingClientRect().top;
    if (top < 0 || top > menu.clientHeight - 32) menu.scrollTop += top - menu.clientHeight / 2;
  }, { rootMargin: "-25% 0px -70%" });
  for (const target of links.keys()) observer.observe(target);
}
`;
