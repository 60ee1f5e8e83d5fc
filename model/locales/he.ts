import { isolate, type Texts } from "./locale.ts";

// Plural or verbal nouns, which don't depend on whom they speak to.
/** The texts in Hebrew. */
export const he: Texts = {
  about: "כל החידושים, מהחדש לישן",
  skip: "דילוג לתוכן",
  feeds: "מעקב באמצעות פיד",
  labels: "תגיות",
  labelled: (label) => `עדכונים עם התגית "${isolate(label)}"`,
  pages: "עמודים",
  newerEntries: "עדכונים חדשים יותר",
  olderEntries: "עדכונים ישנים יותר",
  allEntries: "כל העדכונים",
  newerEntry: "חדש יותר",
  olderEntry: "ישן יותר",
  readMoreAt: (host) => `מידע נוסף באתר ${isolate(host)}`,
  nothingYet: "עדיין לא פורסם דבר",
  nothingYetHint: "אפשר לעקוב אחר הפיד כדי לדעת על העדכון הראשון.",
  nothingLabelled: "אין עדכונים עם התגית הזאת",
  preview: "זו תצוגה מקדימה. ייתכן שהעדכון עוד לא פורסם.",

  notFound: "אין כאן דבר",
  notFoundHint: "ייתכן שהעדכון הוסר, או שהכתובת אינה שלמה.",
  unreadable: "הכתובת הזאת אינה פועלת",
  unreadableHint: "חלק ממנה חסר או השתנה בדרך.",
  unavailable: "אי אפשר להציג את העמוד כרגע",
  unavailableHint: "נסו שוב בעוד דקה.",
  whatIsNew: "לעדכונים האחרונים",

  signUp: "עדכונים בדואר אלקטרוני",
  signUpHint: "הודעה אחת לכל עדכון. אפשר לבטל את הרישום בכל עת.",
  email: "כתובת דואר אלקטרוני",
  name: "שם (לא חובה)",
  subscribe: "הרשמה",
  leaveEmpty: "נא להשאיר את השדה הזה ריק",
  badEmail: `נא להזין כתובת דואר אלקטרוני כמו ${isolate("name@example.com")}.`,
  badName: "נא להזין שם של עד 200 תווים, ללא תווי בקרה.",
  lookForMail: "בדקו את תיבת הדואר",
  lookForMailHint:
    "פתחו את הקישור שבהודעה ששלחנו כדי לאשר את הרישום. אם היא לא הגיעה תוך כמה דקות, " +
    "בדקו בתיקיית הספאם.",
  confirm: "אישור הרישום",
  confirmHint: (userEmail) => `העדכונים יישלחו אל ${isolate(userEmail)}.`,
  confirmed: "הרישום אושר",
  confirmedHint: "נשלח הודעה על כל עדכון. בכל הודעה יש קישור לביטול הרישום.",
  expired: "תוקף הקישור פג",
  expiredHint: "הזינו שוב את הכתובת כדי לקבל קישור חדש.",
  badLink: "הקישור אינו שלם",
  badLinkHint: "העתיקו את כולו מההודעה.",

  unsubscribe: "ביטול הרישום",
  unsubscribeQuestion: "לא לשלוח עוד הודעות?",
  unsubscribeHint: "לא נשלח עוד עדכונים.",
  unsubscribed: "הרישום בוטל",
  unsubscribedHint: "לא נשלח עוד עדכונים.",
  choose: "בחירה מה לקבל",
  everything: "הכול",
  onlyLabels: "רק עדכונים עם אחת מהתגיות האלה:",
  howOften: "באיזו תדירות",
  paceEach: "הודעה על כל עדכון",
  paceWeekly: "הודעה אחת בשבוע",
  save: "שמירה",
  saved: "הבחירה נשמרה.",
  tooManyLabels: (max) => `יותר מדי תגיות, ולכן לא נשמר דבר. לכל היותר: ${max}`,
  noLabel: "יש לבחור תגית או „הכול”: לא נשמר דבר.",
  weekSoFar: "השבוע עד כה",
  weekly: (title) => `השבוע ב-${title}`,

  preheader: (title) => `חדשות מאת ${isolate(title)}`,
  readOnWeb: "לקריאה באתר",
  learnMore: "מידע נוסף",
  whyYouGetThis: (title) => `ההודעה נשלחה בעקבות הרישום לעדכונים של ${isolate(title)}.`,
  notTracked: "אין מעקב בהודעה הזאת: איש אינו יודע אם פתחתם אותה או לחצתם על קישורים.",
  test: "בדיקה",

  confirmSubject: (title) => `אישור הרישום אל ${isolate(title)}`,
  confirmRequest: (title, userEmail) =>
    `התקבלה בקשה, אנו מקווים שמכם, לשלוח עדכונים של ${isolate(title)} אל ${isolate(userEmail)}.`,
  confirmLink: "אישור הרישום",
  confirmIgnore: "הקישור תקף ל־7 ימים. אם הבקשה אינה שלכם, אפשר להתעלם מההודעה ולא יתבצע רישום.",
  alreadySubject: (title) => `כבר נרשמתם אל ${isolate(title)}`,
  alreadyText: (title, userEmail) =>
    `התקבלה בקשה, אנו מקווים שמכם, לשלוח עדכונים של ${isolate(title)} אל ${isolate(userEmail)}. ` +
    "אתם כבר רשומים, ואין צורך לעשות דבר.",

  unread: (count) => `לא נקראו: ${count}`,
  close: "סגירה",
};
