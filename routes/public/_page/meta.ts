import type { Entry } from "../../../model/entries/entry.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { lastChange } from "../../../services/entries/catalogue.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { RenderedBody } from "./rendered.ts";
import { SVG_TYPE } from "../../../model/brand.ts";
import { addressOf, logoOf, type PublicSite } from "./site.ts";

/** Renders metadata of an entry for link previews: Open Graph and JSON-LD. */
export function describeEntry(
  site: PublicSite,
  entry: Entry,
  { excerpt, image }: RenderedBody,
): Html {
  const { title, labels, publishedAt } = entry;
  const changedAt = lastChange(entry);
  const address = entryAddress(site, entry);
  const posting = {
    "@context": "https://schema.org",
    "@type": "BlogPosting",
    headline: title,
    description: excerpt || undefined,
    url: address,
    mainEntityOfPage: address,
    datePublished: publishedAt,
    dateModified: changedAt,
    inLanguage: site.language,
    keywords: labels.length === 0 ? undefined : labels,
    image: image?.url,
    author: organization(site),
    publisher: organization(site),
    isPartOf: { "@type": "Blog", name: site.title, url: addressOf(site) },
  };
  // Prevents text from ending the element or starting a comment in it.
  const json = JSON.stringify(posting).replaceAll("<", "\\u003c");
  return markup`
<meta property="og:type" content="article">
<meta property="article:published_time" content="${publishedAt ?? ""}">
<meta property="article:modified_time" content="${changedAt}">${
    labels.map((label) => markup`\n<meta property="article:tag" content="${label}">`)
  }${describeImage(site, image)}
<script type="application/ld+json">${{ html: json }}</script>`;
}

/** Renders the same metadata for list pages. */
export function describeList(site: PublicSite): Html {
  return markup`\n<meta property="og:type" content="website">${describeImage(site, undefined)}`;
}

/** Describes the image of a page: its own, or else the logo if that is a bitmap. */
function describeImage(site: PublicSite, image: RenderedBody["image"]): Html {
  const logo = site.logo === undefined || site.logo.contentType === SVG_TYPE
    ? undefined
    : logoOf(site).url;
  const url = image?.url ?? logo;
  const card = image === undefined ? "summary" : "summary_large_image";
  return markup`${url && markup`\n<meta property="og:image" content="${url}">`}${
    image && image.alt !== ""
      ? markup`\n<meta property="og:image:alt" content="${image.alt}">`
      : undefined
  }
<meta name="twitter:card" content="${card}">`;
}

/** Describes the operator of the site. */
export function organization(site: PublicSite): Readonly<Record<string, string | undefined>> {
  const { title, home, logo } = site;
  return {
    "@type": "Organization",
    name: title,
    url: home ?? addressOf(site),
    logo: logo && logoOf(site).url,
  };
}
