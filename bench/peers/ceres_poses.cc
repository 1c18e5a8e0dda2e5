// A pose graph solved by Ceres.
//
//   ceres_poses FILE.g2o OUT.g2o COST START THREADS REPEATS [TOLERANCE]
//
// COST: `full` is the problem of Ceres' pose-graph examples, the whole information matrix over the shift in the frame
// of the first pose and the angle, or twice the vector part of the quaternion; `chordal` the one that lavdm minimises,
//   sum of kappa |Q_j - Q_i Z|^2 + tau |t_j - t_i - Q_i z|^2.
// START: `file` takes the vertices, `odometry` chains the edges i -> i+1. Prints one JSON object; seconds are the least
// of the repeats, of building the problem and solving it, without reading the file.
#include <ceres/ceres.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Eigen::Matrix;
using Eigen::MatrixXd;
using Eigen::Quaternion;

struct Pose {
  double t[3] = {0, 0, 0};
  double q[4] = {0, 0, 0, 1};  // x y z w; in the plane q[0] is the angle
};

struct Edge {
  int from, to;
  Pose seen;
  MatrixXd information;
};

struct Graph {
  int d = 0;
  std::map<int, Pose> poses;
  std::vector<Edge> edges;
};

// ------------------------------------------------------------------------- in the plane

template <typename T>
Matrix<T, 2, 2> Turn(const T& angle) {
  Matrix<T, 2, 2> m;
  m << cos(angle), -sin(angle), sin(angle), cos(angle);
  return m;
}

struct Full2 {
  Edge edge;
  Matrix<double, 3, 3> root;
  template <typename T>
  bool operator()(const T* ti, const T* ai, const T* tj, const T* aj, T* out) const {
    Matrix<T, 2, 1> step(tj[0] - ti[0], tj[1] - ti[1]);
    step = Turn(*ai).transpose() * step;
    T off = *aj - *ai - edge.seen.q[0];
    off = off - 2.0 * M_PI * floor((off + M_PI) / (2.0 * M_PI));
    Matrix<T, 3, 1> e(step(0) - edge.seen.t[0], step(1) - edge.seen.t[1], off);
    Eigen::Map<Matrix<T, 3, 1>> residual(out);
    residual = root.cast<T>() * e;
    return true;
  }
};

struct Chordal2 {
  Edge edge;
  double kappa, tau;
  template <typename T>
  bool operator()(const T* ti, const T* ai, const T* tj, const T* aj, T* out) const {
    Matrix<T, 2, 2> off = sqrt(kappa) * (Turn(*aj) - Turn<T>(*ai + edge.seen.q[0]));
    Matrix<T, 2, 1> seen(T(edge.seen.t[0]), T(edge.seen.t[1]));
    Matrix<T, 2, 1> moved = Turn(*ai) * seen;
    for (int k = 0; k < 4; k++) out[k] = off(k / 2, k % 2);
    for (int k = 0; k < 2; k++) out[4 + k] = sqrt(tau) * (tj[k] - ti[k] - moved(k));
    return true;
  }
};

// ------------------------------------------------------------------------- in space

struct Full3 {
  Edge edge;
  Matrix<double, 6, 6> root;
  template <typename T>
  bool operator()(const T* ti, const T* qi, const T* tj, const T* qj, T* out) const {
    Eigen::Map<const Quaternion<T>> a(qi), b(qj);
    Quaternion<T> seen = Eigen::Map<const Quaternion<double>>(edge.seen.q).template cast<T>();
    Matrix<T, 3, 1> step(tj[0] - ti[0], tj[1] - ti[1], tj[2] - ti[2]);
    step = a.conjugate() * step;
    Quaternion<T> off = seen * (a.conjugate() * b).conjugate();
    Matrix<T, 6, 1> e;
    for (int k = 0; k < 3; k++) e(k) = step(k) - edge.seen.t[k];
    e.template tail<3>() = T(2.0) * off.vec();
    Eigen::Map<Matrix<T, 6, 1>> residual(out);
    residual = root.cast<T>() * e;
    return true;
  }
};

struct Chordal3 {
  Edge edge;
  double kappa, tau;
  template <typename T>
  bool operator()(const T* ti, const T* qi, const T* tj, const T* qj, T* out) const {
    Eigen::Map<const Quaternion<T>> a(qi), b(qj);
    Quaternion<T> seen = Eigen::Map<const Quaternion<double>>(edge.seen.q).template cast<T>();
    Matrix<T, 3, 3> off = sqrt(kappa) * (b.toRotationMatrix() - (a * seen).toRotationMatrix());
    Matrix<T, 3, 1> move(T(edge.seen.t[0]), T(edge.seen.t[1]), T(edge.seen.t[2]));
    move = a * move;
    for (int k = 0; k < 9; k++) out[k] = off(k / 3, k % 3);
    for (int k = 0; k < 3; k++) out[9 + k] = sqrt(tau) * (tj[k] - ti[k] - move(k));
    return true;
  }
};

// ------------------------------------------------------------------------- files

static void ReadPose(std::istringstream& in, int d, Pose* pose) {
  for (int k = 0; k < d; k++) in >> pose->t[k];
  for (int k = 0; k < (d == 2 ? 1 : 4); k++) in >> pose->q[k];
}

static void ReadInformation(std::istringstream& in, int size, MatrixXd* out) {
  out->resize(size, size);
  for (int i = 0; i < size; i++)
    for (int j = i; j < size; j++) {
      in >> (*out)(i, j);
      (*out)(j, i) = (*out)(i, j);
    }
}

static bool Read(const char* path, Graph* graph) {
  std::ifstream file(path);
  std::string line, tag;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    in >> tag;
    bool vertex = tag.rfind("VERTEX_SE", 0) == 0, edge = tag == "EDGE_SE2" || tag == "EDGE_SE3:QUAT";
    if (!vertex && !edge) continue;
    graph->d = tag.find("SE2") != std::string::npos ? 2 : 3;
    if (vertex) {
      int node;
      in >> node;
      ReadPose(in, graph->d, &graph->poses[node]);
    } else {
      Edge one;
      in >> one.from >> one.to;
      ReadPose(in, graph->d, &one.seen);
      ReadInformation(in, graph->d == 2 ? 3 : 6, &one.information);
      graph->poses[one.from], graph->poses[one.to];
      graph->edges.push_back(one);
    }
  }
  return graph->d > 0;
}

static void Write(const char* path, const Graph& graph) {
  FILE* file = fopen(path, "w");
  if (!file) return;
  for (const auto& [node, pose] : graph.poses) {
    fprintf(file, "%s %d", graph.d == 2 ? "VERTEX_SE2" : "VERTEX_SE3:QUAT", node);
    for (int k = 0; k < graph.d; k++) fprintf(file, " %.17g", pose.t[k]);
    for (int k = 0; k < (graph.d == 2 ? 1 : 4); k++) fprintf(file, " %.17g", pose.q[k]);
    fprintf(file, "\n");
  }
  fclose(file);
}

static void Odometry(Graph* graph) {
  for (const Edge& edge : graph->edges) {
    if (edge.to != edge.from + 1) continue;
    const Pose& a = graph->poses[edge.from];
    Pose& b = graph->poses[edge.to];
    if (graph->d == 2) {
      Eigen::Vector2d move = Turn(a.q[0]) * Eigen::Vector2d(edge.seen.t[0], edge.seen.t[1]);
      b.q[0] = a.q[0] + edge.seen.q[0];
      for (int k = 0; k < 2; k++) b.t[k] = a.t[k] + move(k);
    } else {
      Eigen::Map<const Eigen::Quaterniond> q(a.q), seen(edge.seen.q);
      Eigen::Vector3d move = q * Eigen::Vector3d(edge.seen.t);
      Eigen::Map<Eigen::Quaterniond>(b.q) = (q * seen).normalized();
      for (int k = 0; k < 3; k++) b.t[k] = a.t[k] + move(k);
    }
  }
}

// ------------------------------------------------------------------------- solving

static ceres::CostFunction* Cost(const Edge& edge, int d, bool full) {
  if (full) {
    MatrixXd root = edge.information.llt().matrixL().transpose();
    if (d == 2) return new ceres::AutoDiffCostFunction<Full2, 3, 2, 1, 2, 1>(new Full2{edge, root});
    return new ceres::AutoDiffCostFunction<Full3, 6, 3, 4, 3, 4>(new Full3{edge, root});
  }
  int turns = d == 2 ? 1 : 3;
  MatrixXd shift = edge.information.topLeftCorner(d, d).inverse();
  MatrixXd turn = edge.information.bottomRightCorner(turns, turns).inverse();
  double tau = d / shift.trace(), kappa = d == 2 ? edge.information(2, 2) : 3 / (2 * turn.trace());
  if (d == 2) return new ceres::AutoDiffCostFunction<Chordal2, 6, 2, 1, 2, 1>(new Chordal2{edge, kappa, tau});
  return new ceres::AutoDiffCostFunction<Chordal3, 12, 3, 4, 3, 4>(new Chordal3{edge, kappa, tau});
}

static ceres::Solver::Summary Solve(Graph* graph, bool full, int threads, double tolerance) {
  ceres::Problem problem;
  for (const Edge& edge : graph->edges) {
    Pose &a = graph->poses[edge.from], &b = graph->poses[edge.to];
    problem.AddResidualBlock(Cost(edge, graph->d, full), nullptr, a.t, a.q, b.t, b.q);
  }
  ceres::Manifold* manifold = graph->d == 3 ? new ceres::EigenQuaternionManifold : nullptr;
  bool used = false;
  for (auto& [node, pose] : graph->poses)
    if (manifold && problem.HasParameterBlock(pose.q)) problem.SetManifold(pose.q, manifold), used = true;
  if (!used) delete manifold;
  problem.SetParameterBlockConstant(graph->poses.begin()->second.t);
  problem.SetParameterBlockConstant(graph->poses.begin()->second.q);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 200;
  options.num_threads = threads;
  options.function_tolerance = tolerance;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return summary;
}

int main(int count, char** word) {
  if (count < 7) return fprintf(stderr, "usage: ceres_poses FILE OUT full|chordal file|odometry THREADS REPEATS\n"), 2;
  google::InitGoogleLogging(word[0]);
  Graph graph;
  if (!Read(word[1], &graph)) return fprintf(stderr, "%s: no pose graph\n", word[1]), 1;
  if (!strcmp(word[4], "odometry")) Odometry(&graph);
  bool full = !strcmp(word[3], "full");
  double least = 1e300, tolerance = count > 7 ? atof(word[7]) : 1e-6;
  ceres::Solver::Summary summary;
  Graph solved;
  for (int k = 0; k < atoi(word[6]); k++) {
    solved = graph;
    auto begin = std::chrono::steady_clock::now();
    summary = Solve(&solved, full, atoi(word[5]), tolerance);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  Write(word[2], solved);
  printf("{\"seconds\": %.6f, \"start\": %.12g, \"cost\": %.12g, \"iterations\": %zu, \"converged\": %s}\n", least,
         2 * summary.initial_cost, 2 * summary.final_cost, summary.iterations.size() - 1,
         summary.termination_type == ceres::CONVERGENCE ? "true" : "false");
  return 0;
}
