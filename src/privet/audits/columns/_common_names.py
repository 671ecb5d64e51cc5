"""Words that many people are called by, in several languages. A column of names is told by the share it has of them.

Short on purpose: a share of one third is enough, and a full register of names would itself be personal data.
"""
# ruff: noqa: SIM905  lists of words read best as words

from __future__ import annotations

GIVEN = frozenset(
    (
        "aaron abdul abdullah abigail adam adele adrian agata agnes agnieszka ahmed ahmet aisha alan albert aleksandr "
        "alejandro alessandro alex alexander alexandra alfred ali alice alicia alison amanda amelia amina amir amit "
        "amy ana anders andrea andreas andrei andrew andrzej angela anil anita anja ann anna anne annette anthony "
        "antoine antonio anton arjun arthur artur ashley asha astrid aurelie ava ayse barbara beatriz ben benjamin "
        "bernard bernd beth betty birgit bjorn bogdan brandon brenda brian bruce bruno camille carla carlos carmen "
        "carol caroline carolyn catherine cecile charles charlotte chen chloe chris christian christina christine "
        "christopher claire clara claudia claus clement cristina cynthia daniel daniela danielle david deborah deepak "
        "denis dennis diana diane diego dieter dimitri dmitri dominik donald donna doris dorothy douglas dylan edith "
        "eduardo edward eileen elena eleanor eli elias elisabeth elizabeth ella ellen emily emine emma eric erik erika "
        "ethan eugene eva evelyn fatima federico felix fernando filip florian frances francesca francesco francisco "
        "francois frank franz frederic fredrik gabriel gabriela gary gavin george georg gerald gerard gerhard giovanni "
        "giulia giuseppe gloria grace grazyna greg gregory guillaume gunter gustav hannah hans harald harold harry "
        "hassan heather hector heidi heike heinz helen helena helga henri henrik henry hiroshi hugo hussein ian ibrahim "
        "ida igor ines ingrid irene irina isabel isabella ismail ivan jack jacob jacqueline jakob jakub james jan jane "
        "janet janice jason javier jean jeff jeffrey jennifer jens jeremy jerry jesse jessica jesus jin joan joanna "
        "joao joe joel johan johann johannes john jonas jonathan jordan jorge jose josef joseph joshua joyce juan "
        "judith judy julia julian julie jurgen justin kamal karen karin karl katarzyna kate katherine kathleen kathryn "
        "katja keith kelly kenneth kenji kevin khalid kim klaus krzysztof kumar kyle lakshmi larry lars laura lauren "
        "lea leila lena leo leon leonard leonardo li liam linda lisa logan louis louise luca lucas lucia luigi luis "
        "lukas lucy lydia maciej magdalena malgorzata manfred manuel marc marcel marcin marco marek margaret maria "
        "mariam marianne marie marina mario marion mark markus marta martha martin martina mary marvin matteo matthew "
        "matthias maurice max maximilian mehmet mei melissa mia michael michel michele michelle miguel mikael mike "
        "mikhail miriam mohamed mohammad mohammed monica monika monique muhammad mustafa nadia nancy naomi natalia "
        "natalie natasha nathan neha nicholas nicolas nicole nikolai nina noah noor nora norma oksana olga oliver "
        "olivia olivier omar oscar osman otto pablo pamela paolo pascal patricia patrick paul paula paulo pavel pedro "
        "peter petra philip philippe phillip pierre piotr priya rachel rafael rahul rajesh ralf ralph ramon randy raul "
        "ravi raymond rebecca renate rene ricardo richard rita robert roberto robin roger roland roman ronald rosa "
        "rose roy russell ruth ryan sabine said salma sam samantha samir samuel sandra sanjay sara sarah scott sean "
        "sebastian sergei sergio sharon shirley silvia simon simone sofia sonia sophia sophie stefan stefanie stephanie "
        "stephen steve steven sunil susan susanne suzanne svetlana sven sylvie takashi tamara tanja tatiana teresa "
        "terry theodore theresa thi thomas tim timothy tobias todd tom tomas tomasz tony tracy tyler ursula uwe "
        "valentina valerie vanessa vera veronica victor victoria viktor vincent virginia vladimir walter wei wendy "
        "werner william willie wolfgang xavier yan yasmin yong youssef yuki yusuf yvonne zachary zeynep zhang zoe"
    ).split()
)
FAMILY = frozenset(
    (
        "abbott abdi adams ahmed aguilar ali allen alvarez andersen anderson andersson andrews antonov arnold ashraf "
        "bailey baker bakker banerjee barnes bauer becker begum bell bennett berg bernard bianchi black boyd bradley "
        "brooks brown bryant burns butler cameron campbell carlson carroll carter castillo castro chan chavez chen "
        "chaudhary choi chopra christensen clark clarke cohen cole coleman collins colombo conti cook cooper costa cox "
        "crawford cruz cunningham da daniels das davies davis de delgado demir diaz dixon dubois duncan dunn dupont "
        "durand eriksson evans edwards ellis esposito fernandes fernandez ferrari ferreira fischer fisher fleming "
        "flores fontaine ford foster fox franklin freeman fuchs garcia gardner garnier gibson gomes gomez gonzales "
        "gonzalez gordon graham grant gray green greene griffin gupta gutierrez guzman haas hall hamilton hansen hansson "
        "hansson harper harris harrison hart hartmann harvey hassan hayes henderson henry hernandez herrera hicks hill "
        "hoffmann holmes horvath howard huang hughes hunt hunter hussain ibrahim ivanov ivanova jackson jacobs jain "
        "jansen janssen jenkins jensen jimenez johansson johnson johnston jones jordan joshi jung kaiser kaminski kang "
        "karlsson kaur kaya kelley kelly kennedy khan kim king klein knight koch kovac kowalczyk kowalski kozlov kraus "
        "kumar kuznetsov lang larsen larsson laurent lee lefebvre lehmann leroy levy lewandowski lewis li lim lin "
        "lindberg liu long lopez lopes ludwig lynch ma macdonald maier malik marino marques marshall martin martinez "
        "martins mason matthews mayer mccarthy mcdonald mehta mendez mendoza mensah meyer michel miller mills mitchell "
        "mohamed mohammed moore morales moreau moreno morgan morris morrison mueller muller murphy murray myers nair "
        "nelson neumann newman ng nguyen nichols nielsen nilsson novak novotny nowak obrien ochoa okafor olsen olson "
        "oliveira ortega ortiz owens ozturk palmer papadopoulos park parker patel patterson pavlov payne peters pedersen "
        "pereira perez perry petersen peterson petrov pham phillips pierce popov porter powell price rahman ramirez "
        "ramos rao rasmussen ray reed reid reyes reynolds rice richards richardson richter ricci riley rivera roberts "
        "robertson robinson rodrigues rodriguez rogers rojas romano romero rose ross rossi roth roux ruiz russell russo "
        "ryan sahin sanchez sanders santos sato schmid schmidt schmitz schneider scholz schroeder schulz schubert "
        "schultz schwarz scott shah sharma shaw shevchenko silva simmons simon simpson singh smirnov smit smith snyder "
        "sokolov sousa spencer stein stephens stevens stewart stone suarez sullivan sun suzuki svensson takahashi "
        "tan tanaka taylor thapa thomas thompson thomsen torres tran tucker turner van vargas vasquez vega verma vogel "
        "volkov wagner walker wallace wang ward warren washington watanabe watson weaver webb weber wei weiss wells "
        "welsh werner west wheeler white williams williamson willis wilson winkler wolf wood woods wright wu xu yadav "
        "yamamoto yang yildirim yilmaz young yu zhang zhao zhou ziegler zimmermann"
    ).split()
)
TITLES = frozenset(
    ["mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "sr", "sra", "mme", "sir", "rev"]
)
