/* Files of other programs that are not read: what they are, and how they become what is. */
#include "io/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TABLE(read) "python3 -c \"import pandas; pandas." read ".to_csv('OUT.csv', index=False)\""

static const struct {
  const char *end, *what, *way; /* "it is WHAT: WAY" */
} foreign[] = {
    {".laz", "a compressed LAS file", "pdal translate IN.laz OUT.las, or las2las -i IN.laz -o OUT.las"},
    {".e57", "an E57 point cloud", "pdal translate IN.e57 OUT.las"},
    {".gltf", "a glTF scene", "meshio, Blender or MeshLab save its mesh as .ply"},
    {".glb", "a glTF scene", "Blender or MeshLab save its mesh as .ply"},
    {".fbx", "an FBX scene", "Blender saves its mesh as .ply"},
    {".3ds", "a 3DS scene", "Blender or MeshLab save its mesh as .ply"},
    {".vtk", "a VTK file", "meshio convert IN.vtk OUT.ply"},
    {".vtu", "a VTK file", "meshio convert IN.vtu OUT.ply"},
    {".vtp", "a VTK file", "ParaView saves it as .ply or .csv"},
    {".msh", "a mesh", "meshio convert IN.msh OUT.ply"},
    {".pts", "a list of points", "without its first line it is OUT.xyz: tail -n +2 IN.pts > OUT.xyz"},
    {".dcm", "a DICOM picture", "dcm2pnm --write-png IN.dcm OUT.png"},
    {".nii", "a NIfTI volume",
     "python3 -c \"import nibabel, numpy; numpy.save('OUT.npy', "
     "nibabel.load('IN.nii').get_fdata())\""},
    {".nii.gz", "a NIfTI volume",
     "python3 -c \"import nibabel, numpy; numpy.save('OUT.npy', "
     "nibabel.load('IN.nii.gz').get_fdata())\""},
    {".jpg", "a JPEG picture", "convert IN.jpg OUT.png"},
    {".jpeg", "a JPEG picture", "convert IN.jpeg OUT.png"},
    {".gif", "a GIF picture", "convert IN.gif OUT.png"},
    {".bmp", "a BMP picture", "convert IN.bmp OUT.png"},
    {".webp", "a WebP picture", "convert IN.webp OUT.png"},
    {".star", "a table of RELION", "give the stack that it names, an .mrcs file"},
    {".rds", "an object of R", "Rscript -e \"write.csv(readRDS('IN.rds'), 'OUT.csv')\""},
    {".parquet", "a Parquet table", TABLE("read_parquet('IN.parquet')")},
    {".pq", "a Parquet table", TABLE("read_parquet('IN.pq')")},
    {".feather", "a Feather table", TABLE("read_feather('IN.feather')")},
    {".arrow", "an Arrow table", TABLE("read_feather('IN.arrow')")},
    {".pkl", "a pickle of Python, which runs code when it is opened", TABLE("read_pickle('IN.pkl')")},
    {".pickle", "a pickle of Python, which runs code when it is opened", TABLE("read_pickle('IN.pickle')")},
    {".xlsx", "an Excel table", TABLE("read_excel('IN.xlsx')")},
    {".xls", "an Excel table", TABLE("read_excel('IN.xls')")},
    {".ods", "a spreadsheet", TABLE("read_excel('IN.ods')")},
    {".jsonl", "JSON", TABLE("read_json('IN.jsonl', lines=True)")},
    {".json", "JSON", TABLE("read_json('IN.json')")},
    {".dta", "a Stata table", TABLE("read_stata('IN.dta')")},
    {".sav", "an SPSS table", TABLE("read_spss('IN.sav')")},
};

const char *foreign_way(const char *path, char text[FOREIGN_SIZE]) {
  size_t length = strlen(path);
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    size_t end = strlen(foreign[i].end);
    if (length <= end || strcasecmp(path + length - end, foreign[i].end)) continue;
    int used = snprintf(text, FOREIGN_SIZE, "is %s, which is not read; convert it: ", foreign[i].what);
    /* IN and OUT stand for the name of the file, without its end */
    int stem = text_cut(name, (int)(strlen(name) - end < 60 ? strlen(name) - end : 60));
    if (strpbrk(name, "'\"\\`$")) name = "FILE", stem = 4; /* a quote would end the command early */
    for (const char *w = foreign[i].way; *w && used + stem + 1 < FOREIGN_SIZE;) {
      bool in = !strncmp(w, "IN.", 3), out = !strncmp(w, "OUT.", 4);
      if (in || out) {
        used += snprintf(text + used, FOREIGN_SIZE - (size_t)used, "%.*s", stem, name);
        w += in ? 2 : 3;
      } else {
        text[used++] = *w++;
        text[used] = 0;
      }
    }
    return text;
  }
  return NULL;
}
