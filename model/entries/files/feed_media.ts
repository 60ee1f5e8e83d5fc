import type { Converted } from "../html/html_to_markdown.ts";
import { type JsonItem, objectsOf, stringOf } from "./json_item.ts";
import type { MarkupElement } from "../html/markup.ts";

/** A file attached to an item of a feed. */
export interface MediaFile {
  /** Its address, which may be relative. */
  readonly address: string;
  readonly isPicture: boolean;
  /** The text alternative of a picture. */
  readonly alt: string;
}

/** The body of an item, and the names of its parts that were not kept. */
interface MediaText {
  readonly body: string;
  readonly leftOut: readonly string[];
  readonly lost: Converted["lost"];
}

const PICTURE_TYPE = /^image(?:\/|$)/i;
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|avif)$/i;
/** Feeds of blogs attach the author's picture, which does not belong to the text. */
const AVATAR = /^https?:\/\/(?:[\w-]+\.)?gravatar\.com\//i;
const MAX_FILES = 100;
const MAX_NAMED_FILES = 3;

/**
 * Puts the first attached picture at the start of a body without pictures, and names the other
 * files, because an entry has no attachments. Counts those with relative addresses as lost.
 */
export function addMedia(
  { body, leftOut, isTooLong, lost: lostBefore }: Pick<Converted, "body"> & {
    readonly leftOut?: Iterable<string>;
    readonly isTooLong?: boolean;
    readonly lost?: Converted["lost"];
  },
  files: readonly MediaFile[],
  base: string | undefined,
): MediaText {
  const before = [...leftOut ?? []];
  const lost = { ...lostBefore ?? { links: 0, images: 0 } };
  if (isTooLong || files.length === 0) return { body, leftOut: before, lost };
  const seen = new Set<string>();
  const others: string[] = [];
  let picture = "";
  for (const { address, isPicture, alt } of files.slice(0, MAX_FILES)) {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    const path = url === undefined ? "" : url.origin + url.pathname;
    if (url === undefined && address !== "") lost[isPicture ? "images" : "links"]++;
    if (url === undefined || !/^https?:$/.test(url.protocol)) continue;
    if (seen.has(path) || AVATAR.test(url.href) || body.includes(path)) continue;
    seen.add(path);
    if (isPicture && picture === "" && !body.includes("![")) {
      const destination = url.href.replace(/[()]/g, (sign) => sign === "(" ? "%28" : "%29");
      picture = `![${alt.replace(/[\\[\]]/g, "\\$&").replace(/\s+/g, " ").trim()}](${destination})`;
    } else others.push(url.href);
  }
  const named = others.slice(0, MAX_NAMED_FILES).map((url) => `the file ${url}`);
  const more = others.length - named.length;
  if (more > 0) named.push(`${more} more files`);
  return {
    body: [picture, body].filter((text) => text !== "").join("\n\n"),
    leftOut: [...before, ...named],
    lost,
  };
}

/** Returns the files of an RSS or Atom item: enclosures and Media RSS elements. */
export function mediaOf(item: MarkupElement): readonly MediaFile[] {
  const files: MediaFile[] = [];
  const thumbnails: MediaFile[] = [];
  for (const child of item.children) {
    if (typeof child === "string") continue;
    const { name, attributes } = child;
    if (name === "media:group") {
      files.push(...mediaOf(child));
    } else if (name === "enclosure" || name === "media:content") {
      files.push(fileOf(child, attributes.get("url")));
    } else if (/^(?:\w+:)?link$/.test(name) && attributes.get("rel") === "enclosure") {
      files.push(fileOf(child, attributes.get("href")));
    } else if (name === "media:thumbnail") {
      thumbnails.push({ address: attributes.get("url") ?? "", isPicture: true, alt: "" });
    }
  }
  // A thumbnail shows another file, so it counts only if there is no other file.
  return files.length > 0 ? files : thumbnails.slice(0, 1);
}

function fileOf({ attributes }: MarkupElement, address = ""): MediaFile {
  const type = attributes.get("medium") ?? attributes.get("type") ?? "";
  const isPicture = PICTURE_TYPE.test(type) ||
    type === "" && PICTURE_NAME.test(address.split(/[?#]/, 1)[0]);
  return { address, isPicture, alt: "" };
}

/** Returns the files of a JSON Feed item: its picture and its attachments. */
export function mediaOfJsonItem(item: JsonItem): readonly MediaFile[] {
  const picture = stringOf(item.image) || stringOf(item.banner_image);
  const attachments = objectsOf(item.attachments).map((file) => ({
    address: stringOf(file.url),
    isPicture: PICTURE_TYPE.test(stringOf(file.mime_type)),
    alt: stringOf(file.title),
  }));
  if (picture === "") return attachments;
  return [{ address: picture, isPicture: true, alt: "" }, ...attachments];
}
