// Questions to the page from within. Plain JavaScript, as the types of the DOM and those of
// Deno don't go together in one program.
let alerts = 0;
globalThis.alert = () => alerts++;

globalThis.probes = {
  styleOf: (selector, property) => getComputedStyle(document.querySelector(selector))[property],

  boxOf: (selector) => document.querySelector(selector).getBoundingClientRect().toJSON(),

  overflow: () => document.documentElement.scrollWidth - innerWidth,

  /** Pastes or drops pictures that are drawn here, as a person would. */
  async bringPictures(event, sizes) {
    const field = document.querySelector("textarea.body");
    const data = new DataTransfer();
    for (const [index, [width, height, type = "image/png"]] of sizes.entries()) {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d");
      context.fillStyle = `hsl(${index * 90 + width} 80% 50%)`;
      context.fillRect(0, 0, width, height / 2);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, type));
      data.items.add(new File([blob], `shot-${index}.png`, { type }));
    }
    const options = { bubbles: true, cancelable: true };
    field.dispatchEvent(
      event === "paste"
        ? new ClipboardEvent("paste", { ...options, clipboardData: data })
        : new DragEvent("drop", { ...options, dataTransfer: data }),
    );
  },

  /** Drops a picture at a place of an element, in pixels from its corner. */
  async dropPicture(selector, left, top) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 30 });
    const blob = await new Promise((resolve) => canvas.toBlob(resolve));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([blob], "dropped.png", { type: "image/png" }));
    const element = document.querySelector(selector);
    const box = element.getBoundingClientRect();
    const [clientX, clientY] = [box.left + left, box.top + top];
    const options = { bubbles: true, cancelable: true, clientX, clientY, dataTransfer };
    for (const name of ["dragover", "drop"]) {
      // A frame takes what is dropped on its document.
      const target = element.contentDocument?.body ?? element;
      const isLeft = target.dispatchEvent(new DragEvent(name, options));
      if (isLeft) throw new Error(`The browser would open what is dropped, after ${name}`);
    }
  },

  /** Returns the red, green, blue and alpha of the last pixel of a picture in a frame. */
  async lastPixelOf(frame, selector) {
    const picture = document.querySelector(frame).contentDocument.querySelector(selector);
    await picture.decode();
    const { naturalWidth: width, naturalHeight: height } = picture;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return [...context.getImageData(width - 1, height - 1, 1, 1).data];
  },

  /** Pastes formatted text. */
  pasteHtml(html) {
    const field = document.querySelector("textarea.body");
    const data = new DataTransfer();
    data.setData("text/html", html);
    data.setData("text/plain", "Release notes");
    const options = { clipboardData: data, bubbles: true, cancelable: true };
    field.dispatchEvent(new ClipboardEvent("paste", options));
  },

  /** Leaves no room in the storage of the browser. */
  fillStorage() {
    let text = "x".repeat(1 << 20);
    for (let number = 0; text.length > 0; number++) {
      try {
        localStorage.setItem(`full-${number}`, text);
      } catch {
        text = text.slice(text.length / 2 + 1);
      }
    }
  },

  /** Keeps what no studio has written, under its names. */
  damageStorage() {
    // A tab begins with a page that has no storage.
    if (location.protocol === "about:") return;
    const names = ["boardcast.session./", "boardcast.draft./operator.draft-0123456789ab"];
    for (const [index, name] of names.entries()) {
      if (localStorage.getItem(name) === null) localStorage.setItem(name, ["{oops", "{}"][index]);
    }
  },

  /** Has the storage of the browser throw, as it does where it is forbidden. */
  forbidStorage() {
    const get = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(globalThis, name, { get });
    }
  },

  /** Hides the tab, as switching to another one does. */
  hide() {
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
  },

  /** Presses the Enter with which an input method takes a word. */
  composeEnter() {
    const field = document.querySelector("textarea.title");
    const options = { key: "Enter", isComposing: true, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent("keydown", options));
  },

  /** Tells what axe finds: the names of the rules, and the first element of each. */
  async axe() {
    const { violations } = await globalThis.axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  },

  focusOutline: () => getComputedStyle(document.activeElement).outlineStyle,

  /** Tells what rendered Markdown came to. */
  describeSections() {
    const elements = [...document.querySelectorAll("section *")];
    const unique = (values) => [...new Set(values)].sort();
    const urls = elements.map(({ href, src }) => href ?? src).filter(Boolean);
    return {
      alerts,
      sections: document.querySelectorAll("body > section").length,
      strays: document.querySelectorAll("head > *, body > :not(section)").length,
      names: unique(elements.map(({ localName }) => localName)),
      attributes: unique(elements.flatMap((element) => element.getAttributeNames())),
      schemes: unique(urls.map((url) => new URL(url).protocol)),
    };
  },

  /**
   * Finds what is less high than a thumb needs: a control, or the label or cell that is part of it.
   */
  tooSmall(pixels, selector = "a:not(.label), button, summary, input, select") {
    const controls = document.querySelectorAll(selector);
    return [...controls].filter((one) => one.checkVisibility() && !one.closest(".hidden, .skip"))
      .filter((one) => {
        const cell = one.closest("td:has(> .title), .numbers div");
        const label = /checkbox|radio/.test(one.type) ? one.labels[0] : undefined;
        return (cell ?? label ?? one).getBoundingClientRect().height < pixels - 0.5;
      }).map((one) => one.outerHTML.slice(0, 120));
  },

  /** Finds text with less contrast than WCAG 2.2 asks for at level AA (1.4.3). */
  poorContrast() {
    const hasText = (element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    return [...document.body.querySelectorAll("*")].filter(hasText).flatMap((element) => {
      const [one, other] = [getComputedStyle(element).color, backgroundOf(element)].map(luminance);
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      return ratio >= 4.5 ? [] : [`${ratio.toFixed(2)} ${element.outerHTML.slice(0, 80)}`];
    });
  },
};

function channels(color) {
  return color.match(/[\d.]+/g).map(Number);
}

function luminance(color) {
  const [red, green, blue] = channels(color).slice(0, 3).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function backgroundOf(element) {
  if (element === null) return "rgb(255, 255, 255)";
  const color = getComputedStyle(element).backgroundColor;
  return channels(color)[3] === 0 ? backgroundOf(element.parentElement) : color;
}
