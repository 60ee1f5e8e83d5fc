import type { Board } from "../../../model/board.ts";
import type { ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { describeList, organization } from "../_page/meta.ts";
import type { PublicSite } from "../_page/site.ts";
import { beginningOf, boardAddress, ideaAddress, votesOf } from "./parts.ts";

/**
 * Renders metadata of an idea: Open Graph and JSON-LD. They name no author but the team, of ideas
 * that are its own.
 */
export function describeIdea(
  site: PublicSite,
  post: ShownPost,
  { board, isByTeam }: { readonly board: Board; readonly isByTeam: boolean },
): Html {
  const address = ideaAddress(site, post);
  const team = organization(site);
  return writeJsonLd(site, {
    "@context": "https://schema.org",
    "@type": "DiscussionForumPosting",
    headline: post.title,
    text: beginningOf(site, post) || post.title,
    url: address,
    mainEntityOfPage: address,
    datePublished: post.createdAt,
    dateModified: post.updatedAt,
    inLanguage: site.language,
    author: isByTeam ? team : undefined,
    publisher: team,
    isPartOf: { "@type": "CollectionPage", name: board.name, url: boardAddress(site, board) },
    interactionStatistic: {
      "@type": "InteractionCounter",
      interactionType: "https://schema.org/LikeAction",
      userInteractionCount: votesOf(post),
    },
    comment: post.answer === null ? undefined : {
      "@type": "Comment",
      text: beginningOf(site, post, "answer"),
      datePublished: post.answeredAt,
      author: team,
    },
  });
}

/** Renders the same metadata for a list of ideas. */
export function describeIdeas(
  site: PublicSite,
  { board, posts }: { readonly board: Board; readonly posts: readonly ShownPost[] },
): Html {
  return writeJsonLd(site, {
    "@context": "https://schema.org",
    "@type": "CollectionPage",
    name: board.name,
    description: board.description ?? undefined,
    url: boardAddress(site, board),
    inLanguage: site.language,
    mainEntity: {
      "@type": "ItemList",
      itemListElement: posts.map((post, at) => ({
        "@type": "ListItem",
        position: at + 1,
        name: post.title,
        url: ideaAddress(site, post),
      })),
    },
  });
}

function writeJsonLd(site: PublicSite, value: unknown): Html {
  // Prevents text from ending the element or starting a comment in it.
  const json = JSON.stringify(value).replaceAll("<", "\\u003c");
  return markup`${describeList(site)}
<script type="application/ld+json">${{ html: json }}</script>`;
}
