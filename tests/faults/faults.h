#ifndef LAVDM_TESTS_FAULTS_H
#define LAVDM_TESTS_FAULTS_H

enum { FAULTS_BEGIN = 0x4c41564d }; /* of prctl: the command begins */

#endif
