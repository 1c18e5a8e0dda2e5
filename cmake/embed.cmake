# A file as an array of C: cmake -DFROM=page.html -DTO=page.c -DNAME=report_template -P embed.cmake
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_bytes;
const unsigned char ${NAME}[] = {
${bytes}0};
const size_t ${NAME}_bytes = ${count};
")
