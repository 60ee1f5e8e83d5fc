import { foldText } from "../values/folded_text.ts";

// Articles, prepositions, pronouns and auxiliary verbs in the languages of pages. Of Japanese and
// Chinese, which are compared by pairs of characters, the pairs that endings and wishes have.
const WORDS = `
a an and are as at be but by can could do does for from get give had has have i if in into is it its
let like make me more my need no not of on or our please should so some than that the their them then
there this to up us use via want was we what when where which while will with would you your
aber als am an auch auf aus bei bitte das dass dem den der des die ein eine einem einen einer eines
es fuer für hat ich im ist kann koennen können man mehr mein mit nach nicht oder ohne sein sich sie
sind so soll über um und uns unser vom von vor wäre wenn wie wir wird wünsche zu zum zur
à au aux avec ce ces cette dans de des du elle en est et être il je la le les leur lors mais me mon
ne nous on ou par pas peut plus pour pouvoir que qui sa sans se serait ses si son sont sous sur un
une vos votre vous
al como con cuando de del desde el ella en es esta este esto ha la las lo los más me mi mis muy
no nos o para pero poder por puede que quiero se ser sería si sin sobre son su sus también un una uno
unos y ya
ao aos as até com como da das de dela dele do dos e ela ele em entre é eu foi isso já mais mas meu
minha na nas não no nos o os ou para pela pelo pode poder por quando que quero se sem ser seria seu
seus sua suas também tem um uma
agli ai al alla alle anche che chi ci come con cui da dal dalla dei del della delle di dove e è gli ha
i il in io la le lo loro ma mi mio ne nei nel nella non o per più poter può quando se senza si sia
sono su sua sul sulla sulle suo tra un una uno vorrei
aan als bij dan dat de deze die dit door een en er had heb het hun ik in is je kan kunnen maar
me meer met mijn naar niet of om ons onze ook op over te tot uit van veel voor wat we wel wil worden
zijn zonder zou
ale aby bez być by chcę co czy dla do gdy i ich jak jako jest jeszcze już kiedy które który lub ma mi
moich mój może można na nad nie o od oraz po pod przez przy są się tak tego ten to tylko u w we więc z
za ze żeby
في من على إلى عن مع هذا هذه ذلك التي الذي أن إن كان كل لا ما أو ثم قد هل عند بين بعد قبل حتى كما لكن لي لنا
أريد يمكن هناك و ب ل
של את על עם אל מן זה זו זאת הוא היא הם אני אנחנו לא כן גם או אם כי כל יש אין עד רק מה אשר בין כדי אפשר
רוצה להיות
した たい たら して する です ます ので から でき きる きま こと もの ほし しい 欲し てほ よう うに ない など
的 可以 希望 我们 能够 一个 请加 添加 功能 需要 应该 以及 或者
`;

const LIGHT: ReadonlySet<string> = new Set(foldText(WORDS).trim().split(/\s+/));

/** Leaves out the words that say nothing of what a title is about, unless there are no others. */
export function withoutLightWords(words: readonly string[]): readonly string[] {
  const heavy = words.filter((word) => !LIGHT.has(word));
  return heavy.length === 0 ? words : heavy;
}
