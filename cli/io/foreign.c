/* Files of other programs that are not read: what they are, and how they become what is. */
#include "io/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
    {".pkl", "a pickle of Python, which runs code when it is opened",
     "python3 -c \"import numpy, pandas; numpy.save('OUT.npy', pandas.read_pickle('IN.pkl'))\""},
    {".parquet", "a Parquet table",
     "python3 -c \"import pandas; pandas.read_parquet('IN.parquet').to_csv('OUT.csv', index=False)\""},
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
