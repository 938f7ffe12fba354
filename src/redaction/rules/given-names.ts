/** Common given names of many countries: they tell `Hi Marcus,` from `Hi Team,`. */
export const GIVEN_NAMES: ReadonlySet<string> = new Set(
  (
    'aaron abdul abigail adam adrian agnes ahmed aisha alan albert alejandro alex alexander alexandra alexis alfred ali ' +
    'alice alicia alina alison amanda amber amelia amina amir amy ana anastasia andre andrea andreas andrew andrzej ' +
    'angela angelina anil anita anja ann anna anne annie anthony antonio anton arjun arthur astrid audrey barbara ' +
    'beatrice ben benjamin bernard beth bianca bill birgit bjorn bob boris brandon brenda brian bruce bruno camila ' +
    'carl carla carlos carmen carol caroline catherine cecilia charles charlotte chen chiara chloe chris christian ' +
    'christina christine christoph christopher claire clara claudia colin connor craig cynthia daniel daniela danielle ' +
    'david deborah deepak denise dennis diana diego dieter dmitri dominic donald donna dorothy douglas dylan edward ' +
    'elena eleanor elias elisa elizabeth ella ellen emily emma enrique eric erica erik erin ernest esther ethan eugene ' +
    'eva evelyn fatima felix fernando fiona florian frances francesca francesco francisco frank franz frederick fritz ' +
    'gabriel gabriela gary george georgia gerald giovanni giulia giuseppe gloria greg gregory greta guillaume gustavo ' +
    'hanna hannah hans harold harriet harry hassan heather heinrich helen helena helga henri henry hiroshi howard hugo ' +
    'ian ibrahim igor ines ingrid irene irina isaac isabel isabella ivan jack jacob jacqueline jakub james jamie jan ' +
    'jane janet jasmine jason javier jean jeff jeffrey jennifer jens jeremy jerry jessica jing jim joan joanna joao joe ' +
    'johan johann john jonas jonathan jorge jose joseph joshua joyce juan judith judy julia julian julie jun justin ' +
    'karen karin karl kate katharina katherine kathleen kathryn katie keith kelly kenji kenneth kevin khalid kim ' +
    'klaus krzysztof kyle lars laura lauren lea leah lena leo leon leonardo leonie linda lisa liam louis louise luca ' +
    'lucas lucia lucy luis luisa lukas maja manuel marcel marco marcos marcus margaret maria mariana marie marina mario ' +
    'mark markus marta martha martin martina mary mateo mathias matteo matthew matthias maurice max maximilian maya ' +
    'megan mehmet mei melanie melissa mia michael michaela michal michel michelle miguel mikhail mila miriam mohamed ' +
    'mohammed monica monika muhammad mustafa nadia naomi natalia natalie natasha nathan neil nicholas nicola nicolas ' +
    'nicole nikita nikolai nina noah nora oleg oliver olivia olga oscar otto pablo pamela paolo patricia patrick paul ' +
    'paula pavel pedro penelope peter petra philip philipp philippe pierre piotr priya rachel raj rajesh ralph ramon ' +
    'raphael raul ravi raymond rebecca renate ricardo richard rita robert roberto robin roger roland roman ronald rosa ' +
    'rosemary roy russell ruth ryan sabine sabrina sally salma sam samantha samuel sandra sanjay santiago sara sarah ' +
    'scott sean sebastian serena sergei sergey sharon shirley silvia simon simone sofia sofie sonia sophia sophie ' +
    'stanislav stefan stefanie stella stephanie stephen steve steven sunita susan susanne suzanne svetlana sven sylvia ' +
    'tamara tanya tatiana teresa terry theo theodore theresa thomas tim timothy tina tobias tom tomas tony tracy tyler ' +
    'ulrich ursula uwe valentina valerie vanessa vera veronica victor victoria vijay vincent virginia vladimir walter ' +
    'wanda wei wendy werner william wolfgang xavier yan yasmin yolanda yuki yusuf yvonne zachary zoe'
  ).split(' '),
);
